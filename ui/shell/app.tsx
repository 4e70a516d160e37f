/** The app around the pages: bar, routes, and where plugins hang in. */
import { useQuery } from "@apollo/client";
import React, { useEffect, useState, type ReactNode } from "react";
import { Nav, Navbar } from "react-bootstrap";
import { Link, NavLink, Route, Switch, useLocation } from "react-router-dom";
import { ScenePage, ScenesPage, SettingsPage } from "./pages";
import { patchable } from "./patch";
import { PluginRoutes, events } from "./plugin_api";
import { ConfigurationDocument } from "./queries";

interface Items {
  children?: ReactNode;
}

const MenuItems = patchable<Items>("MainNavBar.MenuItems", ({ children }) => <Nav>{children}</Nav>);
const UtilityItems = patchable<Items>("MainNavBar.UtilityItems", ({ children }) => <>{children}</>);

function Utilities({ fold }: { fold: () => void }) {
  return (
    <UtilityItems>
      <NavLink className="nav-utility" exact to="/settings" title="Settings" onClick={fold}>
        Settings
      </NavLink>
    </UtilityItems>
  );
}

/**
 * The utilities are there twice: in the menu, for a phone, and in the bar, for everything wider. Choosing an item of the menu folds it,
 * if it is one of Bootstrap's; Stash's own utilities fold it by themselves.
 */
function Bar() {
  const [isOpen, setIsOpen] = useState(false);
  const fold = () => setIsOpen(false);
  return (
    <Navbar collapseOnSelect fixed="top" variant="dark" className="top-nav" expand="xl" expanded={isOpen} onToggle={setIsOpen}>
      <Navbar.Collapse className="order-sm-1">
        <MenuItems>
          <Nav.Link as={Link} to="/scenes" eventKey="/scenes" className="text-reset">
            Scenes
          </Nav.Link>
        </MenuItems>
        <Utilities fold={fold} />
      </Navbar.Collapse>
      <Navbar.Brand as="div" className="order-0">
        <Link to="/" className="text-reset" onClick={fold}>
          Stash
        </Link>
      </Navbar.Brand>
      <Nav className="navbar-buttons flex-row ml-auto order-xl-2">
        <Utilities fold={fold} />
        <Navbar.Toggle className="nav-menu-toggle ml-sm-2" />
      </Nav>
    </Navbar>
  );
}

export const App = patchable<{ plugins: string[] }>("App", ({ plugins }) => {
  const location = useLocation();
  useQuery(ConfigurationDocument);
  useEffect(() => {
    events.dispatchEvent(new CustomEvent("stash:location", { detail: { data: { location } } }));
  }, [location]);
  return (
    <>
      <Bar />
      <main className="main container-fluid">
        <Switch>
          <Route exact path="/" component={ScenesPage} />
          <Route path="/scenes/:id">
            <ScenePage />
          </Route>
          <Route path="/scenes" component={ScenesPage} />
          <Route path="/settings">
            <SettingsPage plugins={plugins} />
          </Route>
          <PluginRoutes />
          <Route>
            <h1>404</h1>
          </Route>
        </Switch>
      </main>
    </>
  );
});
