// What a machine can say about our TypeScript, beyond its types.
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const FOREIGN_HTML = "Titles and values of servers are foreign text, and Stash's policy allows inline script.";

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "**/*.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { "react-hooks": hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      "react-hooks/exhaustive-deps": "error",
      "no-console": "error",
      eqeqeq: "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-definitions": "off", // a union is a type, a shape an interface
      "@typescript-eslint/no-confusing-void-expression": "off", // handlers of one line
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { attributes: false } }],
      "no-restricted-syntax": ["error", { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: FOREIGN_HTML }],
    },
  },
);
