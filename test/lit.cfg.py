# lit's settings for every .mlir and .test below this folder. Run: lit -sv test -Dbuild=build
import os
import shutil
import stat
import subprocess
import sys
import tempfile

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build")))

config.name = "NSTF"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(root, "test")
config.test_exec_root = os.path.join(build, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", os.environ["PATH"]]
)
config.environment["HOME"] = config.test_exec_root

# Real checkpoints beside the checkout; tests that need them say `REQUIRES: shared-models`.
shared = os.path.join(os.path.dirname(root), "shared", "models")
if os.path.isdir(shared):
    config.available_features.add("shared-models")
else:
    lit_config.note("no ../shared/models beside this checkout: its tests are skipped")
if shutil.which("zsh"):
    config.available_features.add("zsh")
else:
    lit_config.note("no zsh: its completion is not tested")
# A file system of any size for one command, where this user may mount one.
probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
if shutil.which(probe[0]) and subprocess.run(probe, capture_output=True).returncode == 0:
    config.available_features.add("mount")
# A device of a test's own, where this user may make and open one.
with tempfile.TemporaryDirectory() as folder:
    try:
        os.mknod(folder + "/null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        os.close(os.open(folder + "/null", os.O_WRONLY))
        config.available_features.add("mknod")
    except OSError as error:
        lit_config.note(f"no devices can be made here ({error.strerror}): tests that write to one are skipped")

config.substitutions += [("%shared", shared), ("%root", root), ("%build", build), ("%python", sys.executable)]
# Expressions over JSON, text and arrays, and files made by expressions: Inputs/expression.py says how.
expression = f"{sys.executable} {config.test_source_root}/Inputs/expression.py"
config.substitutions += [(f"%{way}", f"{expression} {way}") for way in ("json", "text", "npy", "write")]
