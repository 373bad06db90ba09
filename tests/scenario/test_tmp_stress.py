CLOCK = True
import test_catalog_crash as T
from test_catalog_crash import Trade, trade_until_killed, start_again
from harness.catalog_model import list_packages
def dump(t, e):
    rows = list_packages(t.exchange.desk)
    with open("/tmp/scen/dump.txt","w") as f:
        f.write(str(e)[:3000]+"\n")
        for r in reversed(rows):
            m=t.exchange.model.packages[r["event_id"]]; b=t.bodies[r["event_id"]]
            d=t.exchange.desk.package(r["event_id"]).json
            bad = "BAD" if (d.get("result")!=m.result or d["status"]!=m.status) else ""
            f.write(f'{r["receipt"]} {r["event_type"]} {d["status"]}/{m.status} att={d["attempts"]} rec={r["received_at"][14:]} proc={(r["processed_at"] or "")[14:]} {[x["product_id"] for x in b["prices"]] if "prices" in b else len(b["products"])} {d.get("result") and d["result"]["prices"]} {bad} {m.result and m.result["prices"] if bad else ""}\n')
def test_stress(fresh_site):
    fresh_site.settings["HERALD_PUBLIC_URL"] = "https://herald.example"
    fresh_site.serve()
    for index in range(150):
        if index % 5 == 0: trades = [Trade(fresh_site) for _ in range(2)]
        trade_until_killed(fresh_site, trades)
        start_again(fresh_site, trades)
        for t in trades:
            try: t.check()
            except AssertionError as e:
                dump(t, e)
                raise
            for line in t.lines: line.repeat(t.exchange.sender)
