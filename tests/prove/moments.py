"""The moments at which a worker is killed, by what a person calls them: before or after which function."""

MOMENTS = {
    "before it is announced": ("before", "ledger.unfinished.UnfinishedWrites.announce"),
    "between the announcement and the first PUT": ("before", "sync.scenes.writer.ItemWriter._write_scene"),
    "between the last PUT and the ledger": ("before", "sync.scenes.writer.ItemWriter._remember"),
    "before what was written is read back": ("before", "sync.scenes.read_back.ReadBack.learn"),
    "between the ledger's commit and the job's completion": ("before", "sync_queue.manager.QueueManager.complete"),
    "between claiming and asking Stash": ("before", "sync.scenes.work.SceneWork.work"),
}
PLEX_MOMENTS = MOMENTS | {
    "after the upload, before it is selected": ("after", "plex.client.PlexClient.upload_picture"),
}
MEDIA_BROWSER_MOMENTS = MOMENTS | {
    "between the read and the write": ("before", "mediabrowser.target.MediaBrowserTarget._send"),
    "between the write and its collections": ("after", "mediabrowser.target.MediaBrowserTarget._write"),
    "between the look at a picture and its upload": ("before", "mediabrowser.pictures.gallery.Gallery._upload"),
    "after a backdrop came, before the old one goes": ("before", "mediabrowser.pictures.files.PictureFiles.delete"),
}
