"""A chat endpoint on loopback that answers like OpenAI's, or fails in the way it is told to.

    with Endpoint(latency=0.05, faults=["status:429:1", None, "fenced"]) as endpoint:
        ...  # point a client at endpoint.base_url
        assert endpoint.count == 3

It reads requests and writes replies on its own: nothing here imports the package under test.
"""

from tests.endpoint.faults import FAULTS, Fault, fault
from tests.endpoint.plan import Plan
from tests.endpoint.server import Endpoint, Recorded

__all__ = ["FAULTS", "Endpoint", "Fault", "Plan", "Recorded", "fault"]
