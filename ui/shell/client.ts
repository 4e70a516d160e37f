/** The way to the server: everything from `<base href>`, and an expired login leads to the login page. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from "@apollo/client";
import { onError } from "@apollo/client/link/error";

export const base = document.querySelector("base")?.href ?? "/";

const onErrors = onError(({ networkError }) => {
  if (networkError && "statusCode" in networkError && networkError.statusCode === 401) {
    window.location.href = `${base}login?returnURL=${encodeURIComponent(window.location.href)}`;
  }
});

const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.from([onErrors, new HttpLink({ uri: `${base}graphql`, credentials: "same-origin" })]),
});

export const getClient = () => client;
