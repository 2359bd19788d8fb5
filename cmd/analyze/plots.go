package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tidemark"
	"tidemark/internal/atomicfile"
	"tidemark/plots"
)

func plotsCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "plots PATH -d DIR",
		Short: "The figures alone, each as SVG",
		Args:  somePath("analyze plots PATH -d DIR"),
	}
	cmd.Flags().StringVarP(&dir, "dir", "d", "", "directory to write into; made if it is not there")
	read := configFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dir == "" {
			return usagef("no -d DIR, want the directory for the figures")
		}
		cfg, err := read()
		if err != nil {
			return err
		}
		a, err := tidemark.Run(cmd.Context(), args, cmd.InOrStdin(), cfg)
		if err != nil {
			return err
		}
		if err := atomicfile.Directory(dir); err != nil {
			return usagef("-d %s: %v", dir, err)
		}
		var names []string
		for _, p := range plots.Plots {
			name := filepath.Join(dir, p.Name+".svg")
			err := atomicfile.Write(name, a.Inputs, func(w io.Writer) error { return plots.WriteSVG(w, a.Report, p) })
			if err != nil {
				return &usageError{err}
			}
			names = append(names, p.Name+".svg")
		}
		_, err = io.WriteString(cmd.OutOrStdout(), "wrote "+strings.Join(names, ", ")+"\n")
		return err
	}
	return cmd
}
