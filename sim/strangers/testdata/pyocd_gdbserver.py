# pyOCD's GDB server as Debian 12 has it (0.13.1), which asks threads what
# Python 3.9 no longer answers.
import sys
import threading

threading.Thread.isAlive = threading.Thread.is_alive

from pyocd.tools.gdb_server import main

sys.exit(main())
