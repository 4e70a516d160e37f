// A plugin that breaks: while its script runs, and later in a handler of its own.
(function () {
  window.PluginApi.Event.addEventListener("stash:location", () => {
    throw new Error("the other plugin is broken");
  });
  throw new Error("the other plugin's script is broken");
})();
