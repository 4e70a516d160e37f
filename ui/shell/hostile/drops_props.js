// A plugin as many are: its patches hand on the children and nothing else.
(function () {
  const { patch, React } = window.PluginApi;
  for (const name of ["ScenePage.Tabs", "ScenePage.TabContent", "MainNavBar.UtilityItems"]) {
    patch.before(name, (props) => [{ children: React.createElement(React.Fragment, null, props.children) }]);
  }
})();
