"""The bundled example: a small RAG data set about an invented island."""
