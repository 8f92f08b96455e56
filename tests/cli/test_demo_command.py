"""Claims about `attunebench demo`: the whole chain, and care with what lies in its way."""

from attunebench.report.leaderboard import MADE_UP


def test_the_demo_shows_a_leaderboard_and_may_be_repeated(cli, tmp_path):
    out = tmp_path / "demo"
    (out / "scores").mkdir(parents=True)
    (out / ".attunebench-demo").touch()
    (out / "scores" / "scores.json").write_text("an earlier demo's")
    ended = cli("demo", "--out", out)
    assert (ended.code, ended.err) == (0, "")
    board = ended.out[ended.out.index("Leaderboard") :]
    places = [board.index(f"baseline/{name}") for name in ("oracle", "majority", "lexicon", "random", "null")]
    assert places == sorted(places)
    assert MADE_UP in " ".join(board.split())
    assert ended.out.endswith(f"Records in {out / 'run'}, scores in {out / 'scores'}.\n")
    assert (out / "scores" / "scores.json").read_text(encoding="utf-8").startswith('{"aggregates"')


def test_the_demo_removes_nothing_that_is_not_a_demo_s(cli, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "records.jsonl").write_text("precious")
    ended = cli("demo", "--out", tmp_path)
    assert ended.code == 2
    assert ended.err.startswith(f"attunebench: --out: {tmp_path} holds a run or scores of something else")
    assert (tmp_path / "run" / "records.jsonl").read_text() == "precious"


def test_the_demo_needs_a_folder(cli, tmp_path):
    (tmp_path / "file").write_text("")
    ended = cli("demo", "--out", tmp_path / "file")
    assert ended.code == 2
    assert "file cannot be written" in ended.err
