"""What the scenarios stand on: a herald that really runs, and those who talk to it.

    site.py       one installation: its database, settings and processes
    proxy.py      a way to PostgreSQL that can hang
    postgres.py   a database of its own on the PostgreSQL server of the run
    clock.py      moves the wall clock of a running herald
    http.py       requests and replies, and what must hold for every reply
    http_cases.py requests as bytes with the answers of RFC 9110 and 9112; the tables are in
                  http_head_cases.py, http_body_cases.py and http_meaning_cases.py
    actors.py     the core system, which holds the internal key, and the phone
    exchange.py   the operator of integrations, and the ERP with its token
    packages.py   the ERP that sends packages, and the operator who looks after them
    catalog.py    snapshots and changes, from small ones to one with every field
    orders.py     orders: the sales point that has them delivered, its simulated ERP
    faults.py     the validation body of packages
    identity.py   an identity service from outside, whose keys the test holds
    providers.py  the simulated providers of calls and messages
    outcomes.py   what a code must do with each kind of answer of its provider
    feed.py       a reader of the feed of events
    logs.py       a reader of the log stream
    schema.py     the OpenAPI document, held against what really goes over the wire
    shapes.py     what the records of the contract look like
    statements.py every SQL statement of the binary
    plans.py      how each engine means to run a statement
    plan_rows.py  a full database for PostgreSQL's planner
    tools.py      numbers, patience, parallel starts
"""
