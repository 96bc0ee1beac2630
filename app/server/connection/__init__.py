"""The connections of a worker: accepting them, receiving requests, sending responses, ending them."""
