"""Accounting logs of Torque, PBS Pro and OpenPBS, and event files of Moab."""
