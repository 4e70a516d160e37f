/** What is loaded when somebody opens our page or our tab. */
export { SceneTab } from "../scene/scene_tab";
export { Page } from "./page";
