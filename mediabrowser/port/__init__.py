"""Between the words of `model` and the documents of these servers."""
