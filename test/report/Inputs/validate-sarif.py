"""validate-sarif.py LOG: against the part of SARIF 2.1.0 that GMProf writes, and against all of it
if GMPROF_SARIF_SCHEMA names the schema (sarif-schema-2.1.0.json of oasis-tcs/sarif-spec)."""
import json
import os
import pathlib
import sys

import jsonschema

log = json.loads(pathlib.Path(sys.argv[1]).read_text())
ours = pathlib.Path(__file__).with_name("sarif.schema.json")
for path in [ours, *filter(None, [os.environ.get("GMPROF_SARIF_SCHEMA")])]:
    schema = json.loads(pathlib.Path(path).read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    kind(schema).validate(log)
run = log["runs"][0]
rules = run["tool"]["driver"]["rules"]
for result in run["results"]:
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"], result
for result in run["results"]:
    location = result.get("locations", [{}])[0].get("physicalLocation", {})
    print(result["ruleId"], result["level"], *result["partialFingerprints"].values(),
          result.get("baselineState", "-"),
          location.get("artifactLocation", {}).get("uri", "-"),
          location.get("region", {}).get("startLine", "-"),
          *[s["justification"] for s in result.get("suppressions", [])])
