"""The README's tables of clients are what the tests saw, of all that they look at."""

import json

from support import client_table, seen_table
from support.client_table import README, around
from support.seen import RECORD


def test_the_readme_has_the_table_that_the_tests_wrote():
    record = json.loads(client_table.RECORD.read_text())
    assert client_table.lacking(record) == []
    assert around(README.read_text())[1] == client_table.render(record)


def test_the_readme_has_what_users_saw():
    record = json.loads(RECORD.read_text())
    assert seen_table.lacking(record) == []
    assert around(README.read_text(), seen_table.BEGIN)[1] == seen_table.render(record)
