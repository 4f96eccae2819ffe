"""The dumbbell: one bottleneck R1 → R2, a link back, and a pair of access links for each flow.

Source: [Akella02] Fig. 3(a); the reference runs with ns-2.

Link 0 is `bottleneck` (R1 → R2), link 1 `reverse` (R2 → R1), then `access/<flow>` and `access-reverse/<flow>`. A
test flow's data crosses its access link and the bottleneck, its acknowledgements the reverse link and the
access link back; receivers sit on R2. A reverse flow is the mirror image. Access links carry what of a flow's RTT
the two middle links leave over, half on each way, and have no queue. Cross traffic begins at R1.
"""

from __future__ import annotations

from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.topology.base import Crossed, Layout, default_delay, endpoints, ways_over
from sawtooth.scenario.topology.middle import bottleneck, reverse
from sawtooth.scenario.trace import Trace


def lay_out(scenario: Scenario, trace: Trace | None) -> Layout:
    """The dumbbell of a scenario. Raises InputError for an RTT too short."""
    layout = Layout(endpoints(scenario))
    forward = bottleneck(scenario, trace, delay_ns=default_delay(layout.flows))
    there = layout.add(forward, "bottleneck")
    back = layout.add(reverse(scenario, forward, layout.flows), "reverse")
    for flow in layout.flows:
        ways = ([back], [there]) if flow.reverse else ([there], [back])
        layout.join(scenario, flow, *ways)
    layout.ways = ways_over(scenario, there, back)
    layout.crossed.append(Crossed("cbr", [there], scenario.test_flows))
    return layout
