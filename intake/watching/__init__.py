"""What has arrived in the watched folder, and whether it is finished."""
