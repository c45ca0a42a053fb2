import type { TargetPortal } from "../gen/iscsi/v1alpha2.ts";
import type { IscsiHandler } from "./library.ts";
import type { ServiceOf } from "./services.ts";
import type { GroupMethods, VersionedMethods } from "./versioned-methods.ts";

/** The iscsi group. A request without a portal reaches the handler, which says that it is missing. */
export function iscsiMethods(iscsi: IscsiHandler): GroupMethods<"iscsi"> {
  const v1alpha1: VersionedMethods<ServiceOf<"iscsi", "v1alpha1">> = {
    async addTargetPortal(request, options) {
      await iscsi.addTargetPortal(portalOf(request), options);
      return {};
    },
    async discoverTargetPortal(request, options) {
      const { iqns } = await iscsi.discoverTargetPortal(portalOf(request), options);
      return { iqns };
    },
    async removeTargetPortal(request, options) {
      await iscsi.removeTargetPortal(portalOf(request), options);
      return {};
    },
    async listTargetPortals(_, options) {
      const { targetPortals } = await iscsi.listTargetPortals({}, options);
      return {
        target_portals: targetPortals.map(({ targetAddress, targetPort }) => ({ target_address: targetAddress, target_port: targetPort })),
      };
    },
    async connectTarget(request, options) {
      const { iqn, auth_type, chap_username, chap_secret } = request;
      const credentials = { authType: auth_type, chapUsername: chap_username, chapSecret: chap_secret };
      await iscsi.connectTarget({ ...portalOf(request), iqn, ...credentials }, options);
      return {};
    },
    async disconnectTarget(request, options) {
      await iscsi.disconnectTarget({ ...portalOf(request), iqn: request.iqn }, options);
      return {};
    },
    async getTargetDisks(request, options) {
      const { diskIds } = await iscsi.getTargetDisks({ ...portalOf(request), iqn: request.iqn }, options);
      return { diskIDs: diskIds };
    },
  };
  return {
    v1alpha1,
    v1alpha2: {
      ...v1alpha1,
      async setMutualChapSecret({ MutualChapSecret }, options) {
        await iscsi.setMutualChapSecret({ mutualChapSecret: MutualChapSecret }, options);
        return {};
      },
    },
  };
}

function portalOf({ target_portal }: { readonly target_portal?: TargetPortal | undefined }) {
  if (!target_portal) return {};
  return { targetPortal: { targetAddress: target_portal.target_address, targetPort: target_portal.target_port } };
}
