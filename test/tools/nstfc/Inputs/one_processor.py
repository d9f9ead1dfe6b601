"""one_processor.py COMMAND...: runs the command on the first processor that it may use, and on no other."""
import os
import sys

os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
os.execvp(sys.argv[1], sys.argv[1:])
