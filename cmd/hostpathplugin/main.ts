import "@csi-sidecars/hostpath/hostpathplugin";
