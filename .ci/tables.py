"""Reads the tables that --tables DIR wrote, with pyarrow and DuckDB, and compares them.

usage: tables.py DIR REPORT.json

Every table must be there twice, as NAME.arrow and NAME.parquet, with the same
rows, nulls, sums and distinct texts whichever program reads which file; times
must be timestamps in UTC, units in the field metadata, and the rows those that
the report counts for its inputs.
"""

import json
import math
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq

TABLES = ["metrics", "queue", "gpu", "threads", "stacks", "frames", "events"]
POSITION = ["file", "line", "byte"]
UNITS = {
    "queue": {"t": "ns", "depth": "items", "put_wait": "s", "get_wait": "s"},
    "gpu": {"t": "ns", "sm_util": "ratio", "mem_used": "B", "power": "W", "sm_clock": "Hz"},
    "threads": {"t": "ns", "interval": "s", "cpu": "ratio"},
    "stacks": {"samples": "samples", "duration": "s"},
    "metrics": {"t": "ns"},
}

failures = []


def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAILED:", what)


def is_text(t):
    return pa.types.is_dictionary(t) or pa.types.is_string(t) or pa.types.is_large_string(t)


def describe_arrow(table):
    """Rows, and of each column its nulls and a sum or the distinct texts."""
    columns = {}
    for field in table.schema:
        c = table.column(field.name)
        if is_text(field.type):
            texts = pc.unique(c.cast(pa.string()).drop_null())
            value = (len(texts), sum(len(t.as_py()) for t in texts))
        elif pa.types.is_timestamp(field.type):
            value = sum(c.cast(pa.int64()).drop_null().to_pylist())
        elif pa.types.is_floating(field.type):
            value = math.fsum(c.drop_null().to_pylist())
        else:
            value = sum(c.drop_null().to_pylist())
        columns[field.name] = (c.null_count, value)
    return table.num_rows, columns


def one(con, query):
    return con.execute(query).fetchall()[0]


def describe_duckdb(con, source, schema):
    columns = {}
    for field in schema:
        name = f'"{field.name}"'
        if is_text(field.type):
            value = one(con, f"select count(*), coalesce(sum(length(x)), 0)::bigint from (select distinct {name}::varchar as x from {source}) where x is not null")
        elif pa.types.is_timestamp(field.type):
            value = one(con, f"select coalesce(sum(epoch_ns({name})::hugeint), 0)::hugeint from {source}")[0]
        elif pa.types.is_floating(field.type):
            value = one(con, f"select coalesce(fsum({name}), 0) from {source}")[0]
        else:
            value = one(con, f"select coalesce(sum({name}::hugeint), 0)::hugeint from {source}")[0]
        nulls = one(con, f"select count(*) - count({name}) from {source}")[0]
        columns[field.name] = (nulls, value)
    return one(con, f"select count(*) from {source}")[0], columns


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def compare(name, want, got, reader, coarse_times):
    check(want[0] == got[0], f"{name}: {reader} counts {got[0]} rows, want {want[0]}")
    for column, (nulls, value) in want[1].items():
        n, v = got[1][column]
        check(nulls == n, f"{name}.{column}: {reader} counts {n} nulls, want {nulls}")
        if column == "t" and coarse_times:
            # DuckDB holds times with a zone in microseconds.
            check(abs(value - v) <= 1000 * (want[0] or 1), f"{name}.t: {reader} sums to {v}, want {value}")
        else:
            check(same(value, v), f"{name}.{column}: {reader} gives {v}, want {value}")


def check_schema(name, schema, kind):
    names = schema.names
    check(names[-3:] == POSITION, f"{name}.{kind}: ends with {names[-3:]}, want {POSITION}")
    if "t" in names:
        t = schema.field("t").type
        check(t == pa.timestamp("ns", "UTC"), f"{name}.{kind}: t is {t}, want timestamp[ns, UTC]")
    for column, unit in UNITS.get(name, {}).items():
        meta = schema.field(column).metadata or {}
        check(meta.get(b"unit") == unit.encode(), f"{name}.{kind}: unit of {column} is {meta.get(b'unit')}, want {unit}")


def check_table(con, folder, name):
    arrow_file, parquet_file = folder / f"{name}.arrow", folder / f"{name}.parquet"
    with pa.memory_map(str(arrow_file)) as source:
        arrow = pa.ipc.open_file(source).read_all()
        arrow.validate(full=True)
        parquet = pq.read_table(parquet_file)
        parquet.validate(full=True)
        check_schema(name, arrow.schema, "arrow")
        check_schema(name, parquet.schema, "parquet")
        check(arrow.schema.equals(parquet.schema, check_metadata=True), f"{name}: the schemas differ:\n{arrow.schema}\n{parquet.schema}")
        want = describe_arrow(arrow)
        compare(name, want, describe_arrow(parquet), "pyarrow on parquet", False)
        path = str(parquet_file).replace("'", "''")
        compare(name, want, describe_duckdb(con, f"read_parquet('{path}')", arrow.schema), "DuckDB on parquet", True)
        if arrow.num_rows:
            con.register("arrow_table", arrow)
            compare(name, want, describe_duckdb(con, "arrow_table", arrow.schema), "DuckDB on arrow", True)
            con.unregister("arrow_table")
        if "line" in arrow.schema.names and arrow.num_rows:
            check(pc.min(arrow.column("line")).as_py() >= 0, f"{name}: a line below 0")
    print(f"{name}: {want[0]} rows, {len(want[1])} columns")
    return want[0]


def main(folder, report):
    con = duckdb.connect()
    con.execute("set timezone = 'UTC'").fetchall()
    rows = {name: check_table(con, Path(folder), name) for name in TABLES}
    names = sorted(p.name for p in Path(folder).iterdir())
    want = sorted(f"{t}.{e}" for t in TABLES for e in ("arrow", "parquet"))
    check(names == want, f"{folder} holds {names}, want {want}")
    counted = sum(rows.values()) - rows["frames"]
    stated = sum(i["rows"] for i in json.loads(Path(report).read_text())["inputs"])
    check(counted == stated, f"{counted} rows in the tables, {stated} in the report's inputs")
    check(counted > 0, "no rows at all")
    print("FAILED" if failures else "tables agree")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
