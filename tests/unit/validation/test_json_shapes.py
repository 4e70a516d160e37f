"""Raw JSON is taken for what it is, or for nothing."""

from validation.json_shapes import as_list, as_object, as_text


def test_a_value_of_another_shape_is_none_or_empty():
    assert (as_object({"a": 1}), as_list([1]), as_text("a")) == ({"a": 1}, [1], "a")
    assert (as_object([]), as_list({}), as_text(None)) == (None, None, "")
