# Attaches with pyOCD to the only probe, and evaluates each line of its input
# with the target as t. The result goes out as one line of JSON.
import json
import logging
import sys

from pyocd.core.helpers import ConnectHelper
from pyocd.core.target import Target

logging.basicConfig(level=logging.WARNING)  # to standard error

session = ConnectHelper.session_with_chosen_probe(
    blocking=False, target_override="cortex_m", frequency=2000000, halt_on_connect=False)
if session is None:
    sys.exit("no probe")


def wait_halted():
    while t.get_state() != Target.TARGET_HALTED:
        pass


with session:
    t = session.board.target
    for line in sys.stdin:
        print(json.dumps(eval(line)), flush=True)
