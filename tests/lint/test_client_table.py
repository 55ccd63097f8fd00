"""The README's table of clients is what the tests saw, of all that they look at."""

import json

from support.client_table import README, RECORD, around, lacking, render


def test_the_readme_has_the_table_that_the_tests_wrote():
    record = json.loads(RECORD.read_text())
    assert lacking(record) == []
    assert around(README.read_text())[1] == render(record)
