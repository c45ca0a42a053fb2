/**
 * The YAML library, loaded with the first kubeconfig: a pod's own credentials need none, and it costs 9 MB of resident memory.
 * `require` and not `import()`, because configuration is read at once; bundlers take it in, which `createRequire` prevents.
 */
export function yamlParser(): typeof import("yaml") {
  return require("yaml");
}
