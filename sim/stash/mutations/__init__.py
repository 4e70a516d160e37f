"""Mutations: what somebody changes over GraphQL, and the hooks that follow."""
