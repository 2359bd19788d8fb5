package ingest

import (
	"tidemark/internal/config"
	"tidemark/model"
)

func align(run *model.Run, cfg *config.Config) {}
