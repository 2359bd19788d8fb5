"""Holds a check's JUnit and SARIF against the schemas that packages ship.

schemas.py PYTEST GOSARIF FILE...: the source of pytest, which has junit-10.xsd
of Jenkins, and the go-sarif module, which has SARIF 2.1.0 of OASIS.
"""

import json
import pathlib
import sys

import jsonschema
import xmlschema

xsd = next(pathlib.Path(sys.argv[1]).rglob("junit-10.xsd"))
source = next(pathlib.Path(sys.argv[2]).rglob("v210/sarif/schema.go")).read_text()
text = source[source.index("`") + 1 : source.rindex("`")].replace('` + "`" + `', "`")
sarif = jsonschema.Draft4Validator(json.loads(text))
junit = xmlschema.XMLSchema(str(xsd))
for name in sys.argv[3:]:
    if name.endswith(".xml"):
        junit.validate(name)
    else:
        sarif.validate(json.loads(pathlib.Path(name).read_text()))
    print(name, "holds")
