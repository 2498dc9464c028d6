"""What happens to a machine: failures, power caps, switching off, prices, temperatures."""

from schedlab.conditions.definition import Conditions
from schedlab.conditions.failures import Failures, FailureTrace, Resubmission
from schedlab.conditions.load import load_conditions
from schedlab.conditions.power import PowerCap, SwitchOff
from schedlab.conditions.series import Series
from schedlab.conditions.thermal import Thermal

__all__ = [
    "Conditions",
    "FailureTrace",
    "Failures",
    "PowerCap",
    "Resubmission",
    "Series",
    "SwitchOff",
    "Thermal",
    "load_conditions",
]
