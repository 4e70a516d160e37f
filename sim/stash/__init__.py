"""A simulated Stash: GraphQL, pictures, jobs and plugins, with the manners of the real one."""
