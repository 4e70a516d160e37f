/** What Stash's own pages ask here. */
import { gql } from "@apollo/client";

export const ConfigurationDocument = gql`
  query Configuration {
    configuration {
      plugins
    }
  }
`;

export const FindSceneDocument = gql`
  query FindScene($id: ID!) {
    findScene(id: $id) {
      id
      title
      details
    }
  }
`;

export const FindScenesDocument = gql`
  query FindScenes {
    findScenes(filter: { per_page: 20 }) {
      count
      scenes {
        id
        title
      }
    }
  }
`;

export const ConfigurePluginDocument = gql`
  mutation ConfigurePlugin($id: ID!, $input: Map!) {
    configurePlugin(plugin_id: $id, input: $input)
  }
`;

export const SceneUpdateDocument = gql`
  mutation SceneUpdate($id: ID!, $title: String) {
    sceneUpdate(input: { id: $id, title: $title }) {
      id
      title
    }
  }
`;
