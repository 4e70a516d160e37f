"""What should change: fields, three-way merge, planner; pure."""
