#!/usr/bin/env python3
"""Validates reports against the schemas that the tool prints, with python3-jsonschema.

    tests/report/validate_schema.py build/rezero-analyze report.json verdict.json stream.ndjson plan.json

The kind of each file is told from its content. Exit 1 if a file does not conform; every fault is a line.
"""
import json
import subprocess
import sys

import jsonschema


def reject(text):
    raise ValueError("%s is no JSON number" % text)


def parse(text):
    return json.loads(text, parse_constant=reject)


def documents(path):
    """(kind, document) of a file: one, or one a line."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        document = parse(text)
    except json.JSONDecodeError:
        return [("ndjson", parse(line)) for line in text.splitlines()]
    if "kind" in document:
        return [("ndjson", document)]
    format_name = document.get("schema", "rezero-analyze/plan/1")
    return [(format_name.split("/")[1], document)]


def main():
    tool, paths = sys.argv[1], sys.argv[2:]
    validators, faults = {}, 0
    for path in paths:
        for number, (kind, document) in enumerate(documents(path), 1):
            if kind not in validators:
                schema = json.loads(subprocess.run([tool, "schema", kind], check=True, stdout=subprocess.PIPE).stdout)
                jsonschema.Draft202012Validator.check_schema(schema)
                validators[kind] = jsonschema.Draft202012Validator(schema)
            for error in validators[kind].iter_errors(document):
                faults += 1
                print("%s:%d: %s: %s" % (path, number, error.json_path, error.message[:200]))
    print("%d files, %d faults" % (len(paths), faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
