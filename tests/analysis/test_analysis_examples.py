"""Claims about the scores that the analysis tests stand on: they hold all that an analysis can ask for."""

from analysis_examples import GPT, PANEL, QWEN
from attunebench.analysis.inputs import narrow, read_inputs


def test_the_demo_s_scores_hold_modes_panels_and_blind_comparisons_in_both_orders(scores_folder):
    read = read_inputs(scores_folder)
    assert not isinstance(read.records, str)
    found = {(r.em_model, r.mode, bool(r.provenance.judges), bool(r.provenance.blind)) for r in read.records}
    baselines = {f"baseline/{name}" for name in ("null", "random", "majority", "lexicon", "oracle")}
    assert found == (
        {(name, "default", True, False) for name in baselines}
        | {(name, "omniscient", False, False) for name in baselines}
        | {(name, "default", True, True) for name in PANEL}
    )
    assert {r.em_model for r in read.records if r.provenance.swap} == {GPT, QWEN}
    inputs = narrow(read, [c.conversation_id for c in read.dataset.conversations], None, seed=1)
    assert inputs.cube.values.shape[:2] == (12, 14)
    assert all(call.state == "parsed" for record in read.records for call in record.calls)
