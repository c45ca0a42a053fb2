import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import type { OperationId } from "../powershell/catalogue.ts";
import type { Executor, OperationOptions, OperationParameters } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { runMethod, runOperation, type WmiMethod } from "../powershell/run-operation.ts";
import type { IscsiHostApi } from "./host-api.ts";
import { portalName } from "./target-portal.ts";
import type { TargetPortal } from "./types.ts";

interface Target {
  readonly nodeAddress: string;
  readonly isConnected: boolean;
}

/** The iscsi group by means of Windows' initiator. */
export function windowsIscsiHostApi(executor: Executor): IscsiHostApi {
  const query = async (context: string, op: OperationId, params: OperationParameters, options?: OperationOptions) =>
    operationData(op, await inContext(`${context}. error: `, runOperation(executor, op, params, options)));

  const call = (context: string, op: OperationId, params: OperationParameters, method: WmiMethod, options?: OperationOptions) =>
    inContext(`${context}. error: `, runMethod(executor, op, params, method, options));

  const listTargetPortals = async (options?: OperationOptions): Promise<readonly TargetPortal[]> => {
    const portals = (await query("error listing target portals", "iscsi.listPortals", {}, options)).list();
    return portals.map((portal) => ({ targetAddress: portal.string("address"), targetPort: portal.uint32("port") }));
  };

  const targetsOf = async (portal: TargetPortal, options?: OperationOptions): Promise<readonly Target[]> => {
    const name = portalName(portal);
    const targets = await query(`error listing targets of target portal ${name}`, "iscsi.targets", portalParams(portal), options);
    if (targets.isNull) throw new CsiProxyError("NotFound", `target portal ${name} not found`);
    return targets.list().map((target) => ({ nodeAddress: target.string("nodeAddress"), isConnected: target.boolean("isConnected") }));
  };

  const isConnected = async (portal: TargetPortal, iqn: string, options?: OperationOptions): Promise<boolean> => {
    const targets = await targetsOf(portal, options);
    const target = targets.find(({ nodeAddress }) => nodeAddress === iqn);
    // Drivers look for PowerShell's category of the error.
    if (!target) throw new CsiProxyError("NotFound", `target ${iqn} not found on target portal ${portalName(portal)} (ObjectNotFound)`);
    return target.isConnected;
  };

  return {
    listTargetPortals,

    async addTargetPortal(portal, options) {
      const name = portalName(portal);
      const portals = await listTargetPortals(options);
      if (portals.some((present) => portalName(present) === name)) return;
      const method = { class: "MSFT_iSCSITargetPortal", method: "New", target: name };
      await call(`error adding target portal ${name}`, "iscsi.newPortal", portalParams(portal), method, options);
    },

    async discoverTargetPortal(portal, options) {
      return (await targetsOf(portal, options)).map(({ nodeAddress }) => nodeAddress);
    },

    async removeTargetPortal(portal, options) {
      const name = portalName(portal);
      const method = { class: "MSFT_iSCSITargetPortal", method: "Remove", target: name };
      await call(`error removing target portal ${name}`, "iscsi.removePortal", portalParams(portal), method, options);
    },

    async connectTarget(portal, iqn, { authType, chapUsername, chapSecret }, options) {
      if (await isConnected(portal, iqn, options)) return;
      const params = {
        ...targetParams(portal, iqn),
        iscsi_auth_type: authType,
        ...(chapUsername && { iscsi_chap_user: chapUsername }),
        ...(chapSecret && { iscsi_chap_secret: chapSecret }),
      };
      const method = { class: "MSFT_iSCSITarget", method: "Connect", target: iqn };
      await call(`error connecting to target ${iqn}`, "iscsi.connect", params, method, options);
    },

    async disconnectTarget(portal, iqn, options) {
      if (!(await isConnected(portal, iqn, options))) return;
      const context = `error disconnecting target ${iqn}`;
      const sessions = await query(context, "iscsi.sessions", targetParams(portal, iqn), options);
      for (const session of sessions.list()) {
        const iscsi_session_id = session.string("sessionIdentifier");
        if (session.boolean("isPersistent")) {
          const unregister = { class: "MSFT_iSCSISession", method: "Unregister", target: iqn };
          await call(context, "iscsi.unregister", { iscsi_session_id }, unregister, options);
        }
        const disconnect = { class: "MSFT_iSCSITarget", method: "Disconnect", target: iqn };
        await call(context, "iscsi.disconnect", { iscsi_target_iqn: iqn, iscsi_session_id }, disconnect, options);
      }
    },

    async getTargetDisks(portal, iqn, options) {
      if (!(await isConnected(portal, iqn, options))) return [];
      const disks = await query(`error listing disks of target ${iqn}`, "iscsi.targetDisks", targetParams(portal, iqn), options);
      return disks.uint32s().map(String);
    },

    async setMutualChapSecret(secret, options) {
      const method = { class: "MSFT_iSCSISession", method: "SetCHAPSecret", target: "initiator" };
      const params = { iscsi_mutual_chap_secret: secret };
      await call("error setting the mutual CHAP secret", "iscsi.setChapSecret", params, method, options);
    },
  };
}

function portalParams({ targetAddress, targetPort }: TargetPortal): OperationParameters {
  return { iscsi_tp_address: targetAddress, iscsi_tp_port: String(targetPort) };
}

function targetParams(portal: TargetPortal, iqn: string): OperationParameters {
  return { ...portalParams(portal), iscsi_target_iqn: iqn };
}
