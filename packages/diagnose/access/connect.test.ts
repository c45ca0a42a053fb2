import { expect, test } from "bun:test";
import { callersKubeconfig } from "./connect.ts";

test.each<[string, string, Record<string, string>, string]>([
  ["the flag", "/given", { HOME: "/home/me" }, "/given"],
  ["the variable", "", { HOME: "/home/me", KUBECONFIG: "/var" }, ""],
  ["in a pod", "", { HOME: "/home/me", KUBERNETES_SERVICE_HOST: "10.0.0.1" }, ""],
  ["by hand", "", { HOME: "/home/me" }, "/home/me/.kube/config"],
  ["by hand, without one", "", { HOME: "/home/you" }, ""],
])("which kubeconfig counts: %s", (_, flag, env, path) => {
  const files = {
    read(name: string) {
      if (name.startsWith("/home/me/")) return "";
      throw new Error("no such file");
    },
  };
  expect(callersKubeconfig(flag, env, files)).toBe(path);
});
