"""Puts another code object into a package: put_code.py PACKAGE TARGET FILE. The manifest says so, as if the compiler had
written it."""
import hashlib
import json
import pathlib
import shutil
import sys

package, target, code = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
manifest = json.loads((package / "manifest.json").read_text())
entry = next(entry for entry in manifest["targets"] if entry["id"] == target)
place = package / entry["code_object"]
assert place.read_bytes() != code.read_bytes(), "expected another code object but got the same"
shutil.copyfile(code, place)
entry["sha256"] = hashlib.sha256(code.read_bytes()).hexdigest()
del manifest["digest"]
text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
manifest["digest"] = hashlib.sha256(text.encode()).hexdigest()
(package / "manifest.json").write_text(json.dumps(manifest))
