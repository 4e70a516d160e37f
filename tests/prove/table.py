"""The table in which all proofs end, from whichever processes they ran in."""

PROOF = "proof"


def print_table(terminalreporter):
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, ())]
    rows = [
        (report, dict(report.user_properties)[PROOF]) for report in reports if PROOF in dict(report.user_properties)
    ]
    if not rows:
        return
    write = terminalreporter.write_line
    write("")
    write(f"{'proof':90}{'edits':>6}{'requests':>10}{'seconds':>9}  verdict")
    for report, (edits, requests, seconds, left) in sorted(rows, key=lambda row: row[0].nodeid):
        is_right = not left and report.passed
        verdict = "right" if is_right else f"WRONG: {(left or ['see above'])[0]}"
        write(f"{report.nodeid.rpartition('::')[2][:88]:90}{edits:6}{requests:10}{seconds:9.1f}  {verdict}")
    write(f"{len(rows)} proofs, {sum(report.failed for report, _ in rows)} wrong.")
