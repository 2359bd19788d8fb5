package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark"
	"tidemark/internal/config"
	"tidemark/model"
)

// configured is a command's RunE that reads the flags of configFlags first.
func configured(read func() (*tidemark.Config, error), run func(*cobra.Command, []string, *tidemark.Config) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := read()
		if err != nil {
			return err
		}
		return run(cmd, args, cfg)
	}
}

// configFlags adds the flags that stand for the keys of tidemark.yaml, and
// returns what reads them into a Config.
func configFlags(f *pflag.FlagSet) func() (*tidemark.Config, error) {
	c := &tidemark.Config{}
	highWater := f.Float64("high-water", 0, "best throughput this pipeline has done, tok/s")
	capacity := f.Int("capacity", 0, "items the queue can hold")
	minReady := f.Int("min-ready", 0, "depth from which drafters may take")
	itemBytes := f.Float64("item-bytes", 0, "bytes of hidden states that an item takes in memory")
	targets := f.String("targets", "", "GPUs of the targets, such as 0-4 or 0,1,2")
	drafters := f.String("drafters", "", "GPUs of the drafters")
	roles := f.StringToString("roles", nil, "thread or process pattern=role, repeatable")
	f.StringVar(&c.TZ, "tz", "", "zone of times without one, such as Europe/Paris or +02:00")
	offsets := f.StringToString("clock-offset", nil, "file=seconds to add to its times, repeatable")
	columns := f.StringArray("columns", nil, "file=names of its columns, for GPU readings without a header, as after --query-gpu=; the file may be a pattern; repeatable")
	rate := f.Float64("rate", 0, "samples/s of stacks that do not say")
	since := f.Duration("since", 0, "only the last so long, such as 10m")
	f.StringVar(&c.From, "from", "", "only from here: 10m, 15:04 or \"2006-01-02 15:04:05\"")
	f.StringVar(&c.To, "to", "", "only to here")
	price := f.Float64("gpu-hour-price", 0, "money per GPU-hour")
	return func() (*tidemark.Config, error) {
		c.Roles, c.Since = *roles, config.Duration(*since)
		set := func(name string, assign func()) {
			if f.Changed(name) {
				assign()
			}
		}
		set("high-water", func() { c.HighWater = highWater })
		set("capacity", func() { c.Capacity = capacity })
		set("min-ready", func() { c.MinReady = minReady })
		set("item-bytes", func() { c.ItemBytes = itemBytes })
		set("rate", func() { c.Rate = rate })
		set("gpu-hour-price", func() { c.GPUHourPrice = price })
		var err error
		if c.Targets, err = gpuList("targets", *targets); err != nil {
			return nil, err
		}
		if c.Drafters, err = gpuList("drafters", *drafters); err != nil {
			return nil, err
		}
		for name, v := range *offsets {
			sec, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return nil, usagef("--clock-offset %s=%s: want seconds, such as -3600", name, v)
			}
			if c.ClockOffset == nil {
				c.ClockOffset = map[string]float64{}
			}
			c.ClockOffset[name] = sec
		}
		for _, v := range *columns {
			name, list, ok := strings.Cut(v, "=")
			if !ok {
				return nil, usagef("--columns %q: want a file and its columns, such as 'gpu.csv=timestamp,index,utilization.gpu,memory.used'", v)
			}
			if c.Columns == nil {
				c.Columns = map[string]string{}
			}
			c.Columns[name] = list
		}
		if *since < 0 {
			return nil, usagef("--since %v: want a duration above 0", time.Duration(*since))
		}
		if err := c.Check("flags"); err != nil {
			return nil, &usageError{err}
		}
		return c, nil
	}
}

// flagFault words a value that a flag cannot take.
func flagFault(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	wishes := map[string]string{"int": "a whole number", "float64": "a number", "duration": "a duration such as 10m", "stringToString": "NAME=VALUE", "bool": "true or false"}
	wish := wishes[bad.GetFlag().Value.Type()]
	if wish == "" {
		return err
	}
	return fmt.Errorf("--%s %q: want %s, %s", bad.GetFlag().Name, bad.GetValue(), wish, bad.GetFlag().Usage)
}

// gpuList reads 0-4 or 0,1,2.
func gpuList(flag, s string) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, ranged := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(lo)
		b := a
		if err == nil && ranged {
			b, err = strconv.Atoi(hi)
		}
		if err != nil || a < 0 || b < a || b-a > 1024 {
			return nil, usagef("--%s %q: want GPU numbers such as 0-4 or 0,1,2", flag, s)
		}
		for ; a <= b; a++ {
			out = append(out, a)
		}
	}
	return out, nil
}

// offsetsUsed refuses a --clock-offset of a file that no run has.
func offsetsUsed(cfg *tidemark.Config, reports ...*model.Report) error {
	var files []string
	for _, r := range reports {
		for _, in := range r.Inputs {
			files = append(files, in.Path)
		}
	}
	if len(files) == 0 {
		return nil // baselines alone
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.ClockOffset)) {
		if !slices.ContainsFunc(files, func(f string) bool { return config.Names(name, f) }) {
			return usagef("--clock-offset %s=%v: no file is called so, the nearest known one is %q", name, cfg.ClockOffset[name], config.Nearest(name, files))
		}
	}
	return nil
}
