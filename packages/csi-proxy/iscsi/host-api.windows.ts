import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Executor, OperationOptions, OperationParameters } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { runMethod, runOperation } from "../powershell/run-operation.ts";
import type { IscsiHostApi } from "./host-api.ts";
import { portalName } from "./target-portal.ts";
import type { TargetPortal } from "./types.ts";

interface Target {
  readonly nodeAddress: string;
  readonly isConnected: boolean;
}

/** The iscsi group by means of Windows' initiator. */
export function windowsIscsiHostApi(executor: Executor): IscsiHostApi {
  const listTargetPortals = async (options?: OperationOptions): Promise<readonly TargetPortal[]> => {
    const data = operationData("iscsi.listPortals", await runOperation(executor, "iscsi.listPortals", {}, options));
    return data.list().map((portal) => ({ targetAddress: portal.string("address"), targetPort: portal.uint32("port") }));
  };

  const targetsOf = async (portal: TargetPortal, options?: OperationOptions): Promise<readonly Target[]> => {
    const data = operationData("iscsi.targets", await runOperation(executor, "iscsi.targets", portalParams(portal), options));
    if (data.isNull) throw new CsiProxyError("NotFound", `target portal ${portalName(portal)} not found`);
    return data.list().map((target) => ({ nodeAddress: target.string("nodeAddress"), isConnected: target.boolean("isConnected") }));
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
      const portals = await listTargetPortals(options);
      if (portals.some((present) => portalName(present) === portalName(portal))) return;
      const method = { class: "MSFT_iSCSITargetPortal", method: "New", target: portalName(portal) };
      await runMethod(executor, "iscsi.newPortal", portalParams(portal), method, options);
    },

    async discoverTargetPortal(portal, options) {
      return (await targetsOf(portal, options)).map(({ nodeAddress }) => nodeAddress);
    },

    async removeTargetPortal(portal, options) {
      const method = { class: "MSFT_iSCSITargetPortal", method: "Remove", target: portalName(portal) };
      await runMethod(executor, "iscsi.removePortal", portalParams(portal), method, options);
    },

    async connectTarget(portal, iqn, { authType, chapUsername, chapSecret }, options) {
      if (await isConnected(portal, iqn, options)) return;
      const params = {
        ...targetParams(portal, iqn),
        iscsi_auth_type: authType,
        ...(chapUsername !== "" && { iscsi_chap_user: chapUsername }),
        ...(chapSecret !== "" && { iscsi_chap_secret: chapSecret }),
      };
      await runMethod(executor, "iscsi.connect", params, { class: "MSFT_iSCSITarget", method: "Connect", target: iqn }, options);
    },

    async disconnectTarget(portal, iqn, options) {
      if (!(await isConnected(portal, iqn, options))) return;
      const data = await runOperation(executor, "iscsi.sessions", targetParams(portal, iqn), options);
      for (const session of operationData("iscsi.sessions", data).list()) {
        const iscsi_session_id = session.string("sessionIdentifier");
        if (session.boolean("isPersistent")) {
          const unregister = { class: "MSFT_iSCSISession", method: "Unregister", target: iqn };
          await runMethod(executor, "iscsi.unregister", { iscsi_session_id }, unregister, options);
        }
        const disconnect = { class: "MSFT_iSCSITarget", method: "Disconnect", target: iqn };
        await runMethod(executor, "iscsi.disconnect", { iscsi_target_iqn: iqn, iscsi_session_id }, disconnect, options);
      }
    },

    async getTargetDisks(portal, iqn, options) {
      if (!(await isConnected(portal, iqn, options))) return [];
      const data = await runOperation(executor, "iscsi.targetDisks", targetParams(portal, iqn), options);
      return operationData("iscsi.targetDisks", data).uint32s().map(String);
    },

    async setMutualChapSecret(secret, options) {
      const method = { class: "MSFT_iSCSISession", method: "SetCHAPSecret", target: "initiator" };
      await runMethod(executor, "iscsi.setChapSecret", { iscsi_mutual_chap_secret: secret }, method, options);
    },
  };
}

function portalParams({ targetAddress, targetPort }: TargetPortal): OperationParameters {
  return { iscsi_tp_address: targetAddress, iscsi_tp_port: String(targetPort) };
}

function targetParams(portal: TargetPortal, iqn: string): OperationParameters {
  return { ...portalParams(portal), iscsi_target_iqn: iqn };
}
