"""The file under the ledger: connection, schema, migrations, and how values are packed."""
