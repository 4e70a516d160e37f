"""GraphQL as Stash answers it: the document in, root fields, the answer out."""
