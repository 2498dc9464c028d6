"""What `schedlab system show` shows of a network: tables, and a drawing of characters."""

from __future__ import annotations

from schedlab.cli.system.network.drawing import drawing
from schedlab.cli.system.network.network_tables import link_table, message_table, network_summary

__all__ = ["drawing", "link_table", "message_table", "network_summary"]
