"""Files that hold one workflow: DAX, WfFormat, and manifests of ScSF."""
