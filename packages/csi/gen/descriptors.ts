// Written by tools/generate-protocol from the .proto files.
import type { Descriptors } from "../sanitizer/descriptors.ts";

export const descriptors: Descriptors = {
  messages: {
    "csi.v1.BlockMetadata": [
      {"number":1,"name":"byte_offset","property":"byteOffset","kind":"number"},
      {"number":2,"name":"size_bytes","property":"sizeBytes","kind":"number"},
    ],
    "csi.v1.CapacityRange": [
      {"number":1,"name":"required_bytes","property":"requiredBytes","kind":"number"},
      {"number":2,"name":"limit_bytes","property":"limitBytes","kind":"number"},
    ],
    "csi.v1.ControllerExpandVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"capacity_range","property":"capacityRange","kind":"message","type":"csi.v1.CapacityRange"},
      {"number":3,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":4,"name":"volume_capability","property":"volumeCapability","kind":"message","type":"csi.v1.VolumeCapability"},
    ],
    "csi.v1.ControllerExpandVolumeResponse": [
      {"number":1,"name":"capacity_bytes","property":"capacityBytes","kind":"number"},
      {"number":2,"name":"node_expansion_required","property":"nodeExpansionRequired","kind":"bool"},
    ],
    "csi.v1.ControllerGetCapabilitiesRequest": [],
    "csi.v1.ControllerGetCapabilitiesResponse": [
      {"number":1,"name":"capabilities","property":"capabilities","kind":"message","type":"csi.v1.ControllerServiceCapability","many":"list"},
    ],
    "csi.v1.ControllerGetVolumeHealthRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.ControllerGetVolumeHealthResponse": [
      {"number":1,"name":"volume_health","property":"volumeHealth","kind":"message","type":"csi.v1.VolumeHealth"},
    ],
    "csi.v1.ControllerGetVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
    ],
    "csi.v1.ControllerGetVolumeResponse": [
      {"number":1,"name":"volume","property":"volume","kind":"message","type":"csi.v1.Volume"},
      {"number":2,"name":"status","property":"status","kind":"message","type":"csi.v1.ControllerGetVolumeResponse.VolumeStatus"},
    ],
    "csi.v1.ControllerGetVolumeResponse.VolumeStatus": [
      {"number":1,"name":"published_node_ids","property":"publishedNodeIds","kind":"string","many":"list"},
      {"number":2,"name":"volume_condition","property":"volumeCondition","kind":"message","type":"csi.v1.VolumeCondition"},
    ],
    "csi.v1.ControllerListVolumeHealthRequest": [
      {"number":1,"name":"max_entries","property":"maxEntries","kind":"number"},
      {"number":2,"name":"starting_token","property":"startingToken","kind":"string"},
      {"number":3,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.ControllerListVolumeHealthResponse": [
      {"number":1,"name":"entries","property":"entries","kind":"message","type":"csi.v1.VolumeHealth","many":"list"},
      {"number":2,"name":"next_token","property":"nextToken","kind":"string"},
    ],
    "csi.v1.ControllerModifyVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":3,"name":"mutable_parameters","property":"mutableParameters","kind":"string","many":"map"},
    ],
    "csi.v1.ControllerModifyVolumeResponse": [],
    "csi.v1.ControllerPublishVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"node_id","property":"nodeId","kind":"string"},
      {"number":3,"name":"volume_capability","property":"volumeCapability","kind":"message","type":"csi.v1.VolumeCapability"},
      {"number":4,"name":"readonly","property":"readonly","kind":"bool"},
      {"number":5,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":6,"name":"volume_context","property":"volumeContext","kind":"string","many":"map"},
    ],
    "csi.v1.ControllerPublishVolumeResponse": [
      {"number":1,"name":"publish_context","property":"publishContext","kind":"string","many":"map"},
    ],
    "csi.v1.ControllerServiceCapability": [
      {"number":1,"name":"rpc","property":"rpc","kind":"message","type":"csi.v1.ControllerServiceCapability.RPC","oneof":"type"},
    ],
    "csi.v1.ControllerServiceCapability.RPC": [
      {"number":1,"name":"type","property":"type","kind":"enum","type":"csi.v1.ControllerServiceCapability.RPC.Type"},
    ],
    "csi.v1.ControllerUnpublishVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"node_id","property":"nodeId","kind":"string"},
      {"number":3,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.ControllerUnpublishVolumeResponse": [],
    "csi.v1.CreateSnapshotRequest": [
      {"number":1,"name":"source_volume_id","property":"sourceVolumeId","kind":"string"},
      {"number":2,"name":"name","property":"name","kind":"string"},
      {"number":3,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":4,"name":"parameters","property":"parameters","kind":"string","many":"map"},
      {"number":5,"name":"accessibility_requirements","property":"accessibilityRequirements","kind":"message","type":"csi.v1.TopologyRequirement"},
    ],
    "csi.v1.CreateSnapshotResponse": [
      {"number":1,"name":"snapshot","property":"snapshot","kind":"message","type":"csi.v1.Snapshot"},
    ],
    "csi.v1.CreateVolumeGroupSnapshotRequest": [
      {"number":1,"name":"name","property":"name","kind":"string"},
      {"number":2,"name":"source_volume_ids","property":"sourceVolumeIds","kind":"string","many":"list"},
      {"number":3,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":4,"name":"parameters","property":"parameters","kind":"string","many":"map"},
    ],
    "csi.v1.CreateVolumeGroupSnapshotResponse": [
      {"number":1,"name":"group_snapshot","property":"groupSnapshot","kind":"message","type":"csi.v1.VolumeGroupSnapshot"},
    ],
    "csi.v1.CreateVolumeRequest": [
      {"number":1,"name":"name","property":"name","kind":"string"},
      {"number":2,"name":"capacity_range","property":"capacityRange","kind":"message","type":"csi.v1.CapacityRange"},
      {"number":3,"name":"volume_capabilities","property":"volumeCapabilities","kind":"message","type":"csi.v1.VolumeCapability","many":"list"},
      {"number":4,"name":"parameters","property":"parameters","kind":"string","many":"map"},
      {"number":5,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":6,"name":"volume_content_source","property":"volumeContentSource","kind":"message","type":"csi.v1.VolumeContentSource"},
      {"number":7,"name":"accessibility_requirements","property":"accessibilityRequirements","kind":"message","type":"csi.v1.TopologyRequirement"},
      {"number":8,"name":"mutable_parameters","property":"mutableParameters","kind":"string","many":"map"},
    ],
    "csi.v1.CreateVolumeResponse": [
      {"number":1,"name":"volume","property":"volume","kind":"message","type":"csi.v1.Volume"},
    ],
    "csi.v1.DeleteSnapshotRequest": [
      {"number":1,"name":"snapshot_id","property":"snapshotId","kind":"string"},
      {"number":2,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.DeleteSnapshotResponse": [],
    "csi.v1.DeleteVolumeGroupSnapshotRequest": [
      {"number":1,"name":"group_snapshot_id","property":"groupSnapshotId","kind":"string"},
      {"number":2,"name":"snapshot_ids","property":"snapshotIds","kind":"string","many":"list"},
      {"number":3,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.DeleteVolumeGroupSnapshotResponse": [],
    "csi.v1.DeleteVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.DeleteVolumeResponse": [],
    "csi.v1.GetCapacityRequest": [
      {"number":1,"name":"volume_capabilities","property":"volumeCapabilities","kind":"message","type":"csi.v1.VolumeCapability","many":"list"},
      {"number":2,"name":"parameters","property":"parameters","kind":"string","many":"map"},
      {"number":3,"name":"accessible_topology","property":"accessibleTopology","kind":"message","type":"csi.v1.Topology"},
    ],
    "csi.v1.GetCapacityResponse": [
      {"number":1,"name":"available_capacity","property":"availableCapacity","kind":"number"},
      {"number":2,"name":"maximum_volume_size","property":"maximumVolumeSize","kind":"wrapper","type":"google.protobuf.Int64Value"},
      {"number":3,"name":"minimum_volume_size","property":"minimumVolumeSize","kind":"wrapper","type":"google.protobuf.Int64Value"},
    ],
    "csi.v1.GetMetadataAllocatedRequest": [
      {"number":1,"name":"snapshot_id","property":"snapshotId","kind":"string"},
      {"number":2,"name":"starting_offset","property":"startingOffset","kind":"number"},
      {"number":3,"name":"max_results","property":"maxResults","kind":"number"},
      {"number":4,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.GetMetadataAllocatedResponse": [
      {"number":1,"name":"block_metadata_type","property":"blockMetadataType","kind":"enum","type":"csi.v1.BlockMetadataType"},
      {"number":2,"name":"volume_capacity_bytes","property":"volumeCapacityBytes","kind":"number"},
      {"number":3,"name":"block_metadata","property":"blockMetadata","kind":"message","type":"csi.v1.BlockMetadata","many":"list"},
    ],
    "csi.v1.GetMetadataDeltaRequest": [
      {"number":1,"name":"base_snapshot_id","property":"baseSnapshotId","kind":"string"},
      {"number":2,"name":"target_snapshot_id","property":"targetSnapshotId","kind":"string"},
      {"number":3,"name":"starting_offset","property":"startingOffset","kind":"number"},
      {"number":4,"name":"max_results","property":"maxResults","kind":"number"},
      {"number":5,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.GetMetadataDeltaResponse": [
      {"number":1,"name":"block_metadata_type","property":"blockMetadataType","kind":"enum","type":"csi.v1.BlockMetadataType"},
      {"number":2,"name":"volume_capacity_bytes","property":"volumeCapacityBytes","kind":"number"},
      {"number":3,"name":"block_metadata","property":"blockMetadata","kind":"message","type":"csi.v1.BlockMetadata","many":"list"},
    ],
    "csi.v1.GetPluginCapabilitiesRequest": [],
    "csi.v1.GetPluginCapabilitiesResponse": [
      {"number":1,"name":"capabilities","property":"capabilities","kind":"message","type":"csi.v1.PluginCapability","many":"list"},
    ],
    "csi.v1.GetPluginInfoRequest": [],
    "csi.v1.GetPluginInfoResponse": [
      {"number":1,"name":"name","property":"name","kind":"string"},
      {"number":2,"name":"vendor_version","property":"vendorVersion","kind":"string"},
      {"number":3,"name":"manifest","property":"manifest","kind":"string","many":"map"},
    ],
    "csi.v1.GetSnapshotRequest": [
      {"number":1,"name":"snapshot_id","property":"snapshotId","kind":"string"},
      {"number":2,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.GetSnapshotResponse": [
      {"number":1,"name":"snapshot","property":"snapshot","kind":"message","type":"csi.v1.Snapshot"},
    ],
    "csi.v1.GetVolumeGroupSnapshotRequest": [
      {"number":1,"name":"group_snapshot_id","property":"groupSnapshotId","kind":"string"},
      {"number":2,"name":"snapshot_ids","property":"snapshotIds","kind":"string","many":"list"},
      {"number":3,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.GetVolumeGroupSnapshotResponse": [
      {"number":1,"name":"group_snapshot","property":"groupSnapshot","kind":"message","type":"csi.v1.VolumeGroupSnapshot"},
    ],
    "csi.v1.GroupControllerGetCapabilitiesRequest": [],
    "csi.v1.GroupControllerGetCapabilitiesResponse": [
      {"number":1,"name":"capabilities","property":"capabilities","kind":"message","type":"csi.v1.GroupControllerServiceCapability","many":"list"},
    ],
    "csi.v1.GroupControllerServiceCapability": [
      {"number":1,"name":"rpc","property":"rpc","kind":"message","type":"csi.v1.GroupControllerServiceCapability.RPC","oneof":"type"},
    ],
    "csi.v1.GroupControllerServiceCapability.RPC": [
      {"number":1,"name":"type","property":"type","kind":"enum","type":"csi.v1.GroupControllerServiceCapability.RPC.Type"},
    ],
    "csi.v1.ListSnapshotsRequest": [
      {"number":1,"name":"max_entries","property":"maxEntries","kind":"number"},
      {"number":2,"name":"starting_token","property":"startingToken","kind":"string"},
      {"number":3,"name":"source_volume_id","property":"sourceVolumeId","kind":"string"},
      {"number":4,"name":"snapshot_id","property":"snapshotId","kind":"string"},
      {"number":5,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.ListSnapshotsResponse": [
      {"number":1,"name":"entries","property":"entries","kind":"message","type":"csi.v1.ListSnapshotsResponse.Entry","many":"list"},
      {"number":2,"name":"next_token","property":"nextToken","kind":"string"},
    ],
    "csi.v1.ListSnapshotsResponse.Entry": [
      {"number":1,"name":"snapshot","property":"snapshot","kind":"message","type":"csi.v1.Snapshot"},
    ],
    "csi.v1.ListVolumesRequest": [
      {"number":1,"name":"max_entries","property":"maxEntries","kind":"number"},
      {"number":2,"name":"starting_token","property":"startingToken","kind":"string"},
    ],
    "csi.v1.ListVolumesResponse": [
      {"number":1,"name":"entries","property":"entries","kind":"message","type":"csi.v1.ListVolumesResponse.Entry","many":"list"},
      {"number":2,"name":"next_token","property":"nextToken","kind":"string"},
    ],
    "csi.v1.ListVolumesResponse.Entry": [
      {"number":1,"name":"volume","property":"volume","kind":"message","type":"csi.v1.Volume"},
      {"number":2,"name":"status","property":"status","kind":"message","type":"csi.v1.ListVolumesResponse.VolumeStatus"},
    ],
    "csi.v1.ListVolumesResponse.VolumeStatus": [
      {"number":1,"name":"published_node_ids","property":"publishedNodeIds","kind":"string","many":"list"},
      {"number":2,"name":"volume_condition","property":"volumeCondition","kind":"message","type":"csi.v1.VolumeCondition"},
    ],
    "csi.v1.NodeExpandVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"volume_path","property":"volumePath","kind":"string"},
      {"number":3,"name":"capacity_range","property":"capacityRange","kind":"message","type":"csi.v1.CapacityRange"},
      {"number":4,"name":"staging_target_path","property":"stagingTargetPath","kind":"string"},
      {"number":5,"name":"volume_capability","property":"volumeCapability","kind":"message","type":"csi.v1.VolumeCapability"},
      {"number":6,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.NodeExpandVolumeResponse": [
      {"number":1,"name":"capacity_bytes","property":"capacityBytes","kind":"number"},
    ],
    "csi.v1.NodeGetCapabilitiesRequest": [],
    "csi.v1.NodeGetCapabilitiesResponse": [
      {"number":1,"name":"capabilities","property":"capabilities","kind":"message","type":"csi.v1.NodeServiceCapability","many":"list"},
    ],
    "csi.v1.NodeGetInfoRequest": [],
    "csi.v1.NodeGetInfoResponse": [
      {"number":1,"name":"node_id","property":"nodeId","kind":"string"},
      {"number":2,"name":"max_volumes_per_node","property":"maxVolumesPerNode","kind":"number"},
      {"number":3,"name":"accessible_topology","property":"accessibleTopology","kind":"message","type":"csi.v1.Topology"},
    ],
    "csi.v1.NodeGetStorageHealthRequest": [
      {"number":1,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
    ],
    "csi.v1.NodeGetStorageHealthResponse": [
      {"number":1,"name":"backend_health","property":"backendHealth","kind":"message","type":"csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth","many":"list"},
    ],
    "csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth": [
      {"number":1,"name":"status","property":"status","kind":"enum","type":"csi.v1.StorageHealthErrorType"},
      {"number":2,"name":"reason","property":"reason","kind":"string"},
      {"number":3,"name":"message","property":"message","kind":"string"},
      {"number":4,"name":"volume_capability","property":"volumeCapability","kind":"message","type":"csi.v1.VolumeCapability"},
    ],
    "csi.v1.NodeGetVolumeHealthRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"volume_publish_path","property":"volumePublishPath","kind":"string"},
      {"number":3,"name":"staging_target_path","property":"stagingTargetPath","kind":"string"},
    ],
    "csi.v1.NodeGetVolumeHealthResponse": [
      {"number":1,"name":"volume_health","property":"volumeHealth","kind":"message","type":"csi.v1.VolumeHealth"},
    ],
    "csi.v1.NodeGetVolumeStatsRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"volume_path","property":"volumePath","kind":"string"},
      {"number":3,"name":"staging_target_path","property":"stagingTargetPath","kind":"string"},
    ],
    "csi.v1.NodeGetVolumeStatsResponse": [
      {"number":1,"name":"usage","property":"usage","kind":"message","type":"csi.v1.VolumeUsage","many":"list"},
      {"number":2,"name":"volume_condition","property":"volumeCondition","kind":"message","type":"csi.v1.VolumeCondition"},
    ],
    "csi.v1.NodePublishVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"publish_context","property":"publishContext","kind":"string","many":"map"},
      {"number":3,"name":"staging_target_path","property":"stagingTargetPath","kind":"string"},
      {"number":4,"name":"target_path","property":"targetPath","kind":"string"},
      {"number":5,"name":"volume_capability","property":"volumeCapability","kind":"message","type":"csi.v1.VolumeCapability"},
      {"number":6,"name":"readonly","property":"readonly","kind":"bool"},
      {"number":7,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":8,"name":"volume_context","property":"volumeContext","kind":"string","many":"map"},
    ],
    "csi.v1.NodePublishVolumeResponse": [],
    "csi.v1.NodeServiceCapability": [
      {"number":1,"name":"rpc","property":"rpc","kind":"message","type":"csi.v1.NodeServiceCapability.RPC","oneof":"type"},
    ],
    "csi.v1.NodeServiceCapability.RPC": [
      {"number":1,"name":"type","property":"type","kind":"enum","type":"csi.v1.NodeServiceCapability.RPC.Type"},
    ],
    "csi.v1.NodeStageVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"publish_context","property":"publishContext","kind":"string","many":"map"},
      {"number":3,"name":"staging_target_path","property":"stagingTargetPath","kind":"string"},
      {"number":4,"name":"volume_capability","property":"volumeCapability","kind":"message","type":"csi.v1.VolumeCapability"},
      {"number":5,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":6,"name":"volume_context","property":"volumeContext","kind":"string","many":"map"},
    ],
    "csi.v1.NodeStageVolumeResponse": [],
    "csi.v1.NodeUnpublishVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"target_path","property":"targetPath","kind":"string"},
    ],
    "csi.v1.NodeUnpublishVolumeResponse": [],
    "csi.v1.NodeUnstageVolumeRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"staging_target_path","property":"stagingTargetPath","kind":"string"},
    ],
    "csi.v1.NodeUnstageVolumeResponse": [],
    "csi.v1.PluginCapability": [
      {"number":1,"name":"service","property":"service","kind":"message","type":"csi.v1.PluginCapability.Service","oneof":"type"},
      {"number":2,"name":"volume_expansion","property":"volumeExpansion","kind":"message","type":"csi.v1.PluginCapability.VolumeExpansion","oneof":"type"},
    ],
    "csi.v1.PluginCapability.Service": [
      {"number":1,"name":"type","property":"type","kind":"enum","type":"csi.v1.PluginCapability.Service.Type"},
    ],
    "csi.v1.PluginCapability.VolumeExpansion": [
      {"number":1,"name":"type","property":"type","kind":"enum","type":"csi.v1.PluginCapability.VolumeExpansion.Type"},
    ],
    "csi.v1.ProbeRequest": [],
    "csi.v1.ProbeResponse": [
      {"number":1,"name":"ready","property":"ready","kind":"wrapper","type":"google.protobuf.BoolValue"},
    ],
    "csi.v1.Snapshot": [
      {"number":1,"name":"size_bytes","property":"sizeBytes","kind":"number"},
      {"number":2,"name":"snapshot_id","property":"snapshotId","kind":"string"},
      {"number":3,"name":"source_volume_id","property":"sourceVolumeId","kind":"string"},
      {"number":4,"name":"creation_time","property":"creationTime","kind":"message","type":"google.protobuf.Timestamp"},
      {"number":5,"name":"ready_to_use","property":"readyToUse","kind":"bool"},
      {"number":6,"name":"group_snapshot_id","property":"groupSnapshotId","kind":"string"},
      {"number":7,"name":"accessible_topology","property":"accessibleTopology","kind":"message","type":"csi.v1.Topology","many":"list"},
    ],
    "csi.v1.Topology": [
      {"number":1,"name":"segments","property":"segments","kind":"string","many":"map"},
    ],
    "csi.v1.TopologyRequirement": [
      {"number":1,"name":"requisite","property":"requisite","kind":"message","type":"csi.v1.Topology","many":"list"},
      {"number":2,"name":"preferred","property":"preferred","kind":"message","type":"csi.v1.Topology","many":"list"},
    ],
    "csi.v1.ValidateVolumeCapabilitiesRequest": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"volume_context","property":"volumeContext","kind":"string","many":"map"},
      {"number":3,"name":"volume_capabilities","property":"volumeCapabilities","kind":"message","type":"csi.v1.VolumeCapability","many":"list"},
      {"number":4,"name":"parameters","property":"parameters","kind":"string","many":"map"},
      {"number":5,"name":"secrets","property":"secrets","kind":"string","many":"map","secret":true},
      {"number":6,"name":"mutable_parameters","property":"mutableParameters","kind":"string","many":"map"},
    ],
    "csi.v1.ValidateVolumeCapabilitiesResponse": [
      {"number":1,"name":"confirmed","property":"confirmed","kind":"message","type":"csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed"},
      {"number":2,"name":"message","property":"message","kind":"string"},
    ],
    "csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed": [
      {"number":1,"name":"volume_context","property":"volumeContext","kind":"string","many":"map"},
      {"number":2,"name":"volume_capabilities","property":"volumeCapabilities","kind":"message","type":"csi.v1.VolumeCapability","many":"list"},
      {"number":3,"name":"parameters","property":"parameters","kind":"string","many":"map"},
      {"number":4,"name":"mutable_parameters","property":"mutableParameters","kind":"string","many":"map"},
    ],
    "csi.v1.Volume": [
      {"number":1,"name":"capacity_bytes","property":"capacityBytes","kind":"number"},
      {"number":2,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":3,"name":"volume_context","property":"volumeContext","kind":"string","many":"map"},
      {"number":4,"name":"content_source","property":"contentSource","kind":"message","type":"csi.v1.VolumeContentSource"},
      {"number":5,"name":"accessible_topology","property":"accessibleTopology","kind":"message","type":"csi.v1.Topology","many":"list"},
    ],
    "csi.v1.VolumeCapability": [
      {"number":1,"name":"block","property":"block","kind":"message","type":"csi.v1.VolumeCapability.BlockVolume","oneof":"accessType"},
      {"number":2,"name":"mount","property":"mount","kind":"message","type":"csi.v1.VolumeCapability.MountVolume","oneof":"accessType"},
      {"number":3,"name":"access_mode","property":"accessMode","kind":"message","type":"csi.v1.VolumeCapability.AccessMode"},
    ],
    "csi.v1.VolumeCapability.AccessMode": [
      {"number":1,"name":"mode","property":"mode","kind":"enum","type":"csi.v1.VolumeCapability.AccessMode.Mode"},
    ],
    "csi.v1.VolumeCapability.BlockVolume": [],
    "csi.v1.VolumeCapability.MountVolume": [
      {"number":1,"name":"fs_type","property":"fsType","kind":"string"},
      {"number":2,"name":"mount_flags","property":"mountFlags","kind":"string","many":"list"},
      {"number":3,"name":"volume_mount_group","property":"volumeMountGroup","kind":"string"},
    ],
    "csi.v1.VolumeCondition": [
      {"number":1,"name":"abnormal","property":"abnormal","kind":"bool"},
      {"number":2,"name":"message","property":"message","kind":"string"},
    ],
    "csi.v1.VolumeContentSource": [
      {"number":1,"name":"snapshot","property":"snapshot","kind":"message","type":"csi.v1.VolumeContentSource.SnapshotSource","oneof":"type"},
      {"number":2,"name":"volume","property":"volume","kind":"message","type":"csi.v1.VolumeContentSource.VolumeSource","oneof":"type"},
    ],
    "csi.v1.VolumeContentSource.SnapshotSource": [
      {"number":1,"name":"snapshot_id","property":"snapshotId","kind":"string"},
    ],
    "csi.v1.VolumeContentSource.VolumeSource": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
    ],
    "csi.v1.VolumeGroupSnapshot": [
      {"number":1,"name":"group_snapshot_id","property":"groupSnapshotId","kind":"string"},
      {"number":2,"name":"snapshots","property":"snapshots","kind":"message","type":"csi.v1.Snapshot","many":"list"},
      {"number":3,"name":"creation_time","property":"creationTime","kind":"message","type":"google.protobuf.Timestamp"},
      {"number":4,"name":"ready_to_use","property":"readyToUse","kind":"bool"},
    ],
    "csi.v1.VolumeHealth": [
      {"number":1,"name":"volume_id","property":"volumeId","kind":"string"},
      {"number":2,"name":"health_statuses","property":"healthStatuses","kind":"message","type":"csi.v1.VolumeHealth.VolumeHealthEntry","many":"list"},
    ],
    "csi.v1.VolumeHealth.VolumeHealthEntry": [
      {"number":1,"name":"status","property":"status","kind":"enum","type":"csi.v1.VolumeHealthErrorType"},
      {"number":2,"name":"reason","property":"reason","kind":"string"},
      {"number":3,"name":"message","property":"message","kind":"string"},
    ],
    "csi.v1.VolumeUsage": [
      {"number":1,"name":"available","property":"available","kind":"number"},
      {"number":2,"name":"total","property":"total","kind":"number"},
      {"number":3,"name":"used","property":"used","kind":"number"},
      {"number":4,"name":"unit","property":"unit","kind":"enum","type":"csi.v1.VolumeUsage.Unit"},
    ],
    "google.protobuf.BoolValue": [
      {"number":1,"name":"value","property":"value","kind":"bool"},
    ],
    "google.protobuf.Int64Value": [
      {"number":1,"name":"value","property":"value","kind":"number"},
    ],
    "google.protobuf.Timestamp": [
      {"number":1,"name":"seconds","property":"seconds","kind":"number"},
      {"number":2,"name":"nanos","property":"nanos","kind":"number"},
    ],
    "pluginregistration.InfoRequest": [],
    "pluginregistration.PluginInfo": [
      {"number":1,"name":"type","property":"type","kind":"string"},
      {"number":2,"name":"name","property":"name","kind":"string"},
      {"number":3,"name":"endpoint","property":"endpoint","kind":"string"},
      {"number":4,"name":"supported_versions","property":"supportedVersions","kind":"string","many":"list"},
    ],
    "pluginregistration.RegistrationStatus": [
      {"number":1,"name":"plugin_registered","property":"pluginRegistered","kind":"bool"},
      {"number":2,"name":"error","property":"error","kind":"string"},
    ],
    "pluginregistration.RegistrationStatusResponse": [],
  },
  enums: {
    "csi.v1.BlockMetadataType": {"0":"UNKNOWN","1":"FIXED_LENGTH","2":"VARIABLE_LENGTH"},
    "csi.v1.ControllerServiceCapability.RPC.Type": {"0":"UNKNOWN","1":"CREATE_DELETE_VOLUME","2":"PUBLISH_UNPUBLISH_VOLUME","3":"LIST_VOLUMES","4":"GET_CAPACITY","5":"CREATE_DELETE_SNAPSHOT","6":"LIST_SNAPSHOTS","7":"CLONE_VOLUME","8":"PUBLISH_READONLY","9":"EXPAND_VOLUME","10":"LIST_VOLUMES_PUBLISHED_NODES","11":"VOLUME_CONDITION","12":"GET_VOLUME","13":"SINGLE_NODE_MULTI_WRITER","14":"MODIFY_VOLUME","15":"GET_SNAPSHOT","16":"GET_VOLUME_HEALTH","17":"LIST_VOLUME_HEALTH"},
    "csi.v1.GroupControllerServiceCapability.RPC.Type": {"0":"UNKNOWN","1":"CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT"},
    "csi.v1.NodeServiceCapability.RPC.Type": {"0":"UNKNOWN","1":"STAGE_UNSTAGE_VOLUME","2":"GET_VOLUME_STATS","3":"EXPAND_VOLUME","4":"VOLUME_CONDITION","5":"SINGLE_NODE_MULTI_WRITER","6":"VOLUME_MOUNT_GROUP","7":"GET_VOLUME_HEALTH","8":"GET_STORAGE_HEALTH"},
    "csi.v1.PluginCapability.Service.Type": {"0":"UNKNOWN","1":"CONTROLLER_SERVICE","2":"VOLUME_ACCESSIBILITY_CONSTRAINTS","3":"GROUP_CONTROLLER_SERVICE","4":"SNAPSHOT_METADATA_SERVICE","5":"SNAPSHOT_ACCESSIBILITY_CONSTRAINTS"},
    "csi.v1.PluginCapability.VolumeExpansion.Type": {"0":"UNKNOWN","1":"ONLINE","2":"OFFLINE"},
    "csi.v1.StorageHealthErrorType": {"0":"UNKNOWN_STORAGE_HEALTH_ERROR_TYPE","1":"STORAGE_DEGRADED","2":"STORAGE_UNREACHABLE"},
    "csi.v1.VolumeCapability.AccessMode.Mode": {"0":"UNKNOWN","1":"SINGLE_NODE_WRITER","2":"SINGLE_NODE_READER_ONLY","3":"MULTI_NODE_READER_ONLY","4":"MULTI_NODE_SINGLE_WRITER","5":"MULTI_NODE_MULTI_WRITER","6":"SINGLE_NODE_SINGLE_WRITER","7":"SINGLE_NODE_MULTI_WRITER"},
    "csi.v1.VolumeHealthErrorType": {"0":"UNKNOWN_VOLUME_HEALTH_TYPE","1":"DEGRADED","2":"INACCESSIBLE","3":"DATA_LOSS"},
    "csi.v1.VolumeUsage.Unit": {"0":"UNKNOWN","1":"BYTES","2":"INODES"},
  },
};
