-- Evidence.
select 1;
