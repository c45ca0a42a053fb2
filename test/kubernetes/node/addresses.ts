/** Addresses that documentation uses: nothing leaves the node's network namespace, where they are. */
export const nodeName = "node-1";
export const nodeAddress = "192.0.2.1";
export const podRange = "198.51.100.0/24";
export const serviceRange = "203.0.113.0/24";
/** The address of the service `kubernetes`: the API server itself listens there, in the place of kube-proxy. */
export const apiServiceAddress = "203.0.113.1";
export const apiServerUrl = `https://${nodeAddress}:443`;
/** Pods resolve no names: nobody answers there. */
export const dnsAddress = "192.0.2.53";
