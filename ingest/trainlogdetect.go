package ingest

func detectTrainLog(_ string, head []byte) bool { return false }
