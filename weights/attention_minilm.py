"""The files of all-MiniLM-L6-v2, as `attention_lab.trained.minilm` reads them."""
