"""Prints the identity of house-prefix.json as Python takes it: the expected hashes of the sweep."""
import hashlib
import json
import pathlib

prefix = json.loads((pathlib.Path(__file__).parent / "house-prefix.json").read_text())
for value in (prefix, prefix["tools"]):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    print(hashlib.sha256(text.encode()).hexdigest())
