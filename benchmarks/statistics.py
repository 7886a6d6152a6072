"""Do intervals cover what they say, do tests cry wolf, and what do they cost?

    python benchmarks/statistics.py [--repetitions 5000] [--quick]

The work is in calibration.py. The last line is JSON.
"""

import importlib.util
import runpy
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.path = [path for path in sys.path if Path(path or ".").resolve() != HERE]
    runpy.run_path(str(HERE / "calibration.py"), run_name="__main__")
else:  # a script beside this one wants the standard library's module of this name
    standard = Path(sysconfig.get_path("stdlib"), "statistics.py")
    spec = importlib.util.spec_from_file_location(__name__, standard)
    sys.modules[__name__] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[__name__])
