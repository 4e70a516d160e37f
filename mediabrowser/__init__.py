"""Everything that knows Emby and Jellyfin: one client, two dialects."""
